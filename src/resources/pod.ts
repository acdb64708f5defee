import { conditionShape, objectMetaShape } from "./meta-shape.ts";
import type { Condition, ObjectMeta, Time } from "./meta.ts";
import {
  bool,
  int,
  message,
  messages,
  optionalInt,
  optionalString,
  required,
  shape,
  type Shape,
  string,
  struct,
  time,
} from "./shape.ts";

/** What is kept of a Pod: enough to say why its Job does not move. Environment, commands and volumes are never kept. */
export interface Pod {
  metadata: ObjectMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface PodSpec {
  initContainers?: PodContainer[];
  containers?: PodContainer[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  serviceAccountName?: string;
  nodeName?: string;
  schedulingGates?: SchedulingGate[];
}

export interface PodContainer {
  name: string;
  image?: string;
  /** "Always" on an init container makes it a native sidecar. */
  restartPolicy?: string;
}

interface SchedulingGate {
  name: string;
}

export interface PodStatus {
  phase?: string;
  conditions?: Condition[];
  message?: string;
  reason?: string;
  startTime?: Time;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
}

export interface ContainerStatus {
  name: string;
  state?: ContainerState;
  lastState?: ContainerState;
  ready?: boolean;
  restartCount?: number;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: Time };
  terminated?: ContainerTerminated;
}

interface ContainerTerminated {
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: Time;
  finishedAt?: Time;
}

const containerShape: Shape<PodContainer> = shape<PodContainer>({
  name: string(1),
  image: string(2),
  restartPolicy: optionalString(24),
});

const containerStateShape: Shape<ContainerState> = shape<ContainerState>({
  waiting: message(1, shape<{ reason?: string; message?: string }>({ reason: string(1), message: string(2) })),
  running: message(2, shape<{ startedAt?: Time }>({ startedAt: time(1) })),
  terminated: message(
    3,
    shape<ContainerTerminated>({
      exitCode: int(1),
      signal: int(2),
      reason: string(3),
      message: string(4),
      startedAt: time(5),
      finishedAt: time(6),
    }),
  ),
});

const containerStatusShape: Shape<ContainerStatus> = shape<ContainerStatus>({
  name: string(1),
  state: struct(2, containerStateShape),
  lastState: struct(3, containerStateShape),
  ready: bool(4),
  restartCount: int(5),
});

/** Field numbers: k8s.io/api core/v1 generated.proto. */
export const podShape: Shape<Pod> = shape<Pod>({
  metadata: message(1, objectMetaShape),
  spec: required(
    2,
    shape<PodSpec>({
      initContainers: messages(20, containerShape),
      containers: messages(2, containerShape),
      restartPolicy: string(3),
      terminationGracePeriodSeconds: optionalInt(4),
      activeDeadlineSeconds: optionalInt(5),
      serviceAccountName: string(8),
      nodeName: string(10),
      schedulingGates: messages(38, shape<SchedulingGate>({ name: string(1) })),
    }),
  ),
  status: required(
    3,
    shape<PodStatus>({
      phase: string(1),
      conditions: messages(2, conditionShape),
      message: string(3),
      reason: string(4),
      startTime: time(7),
      initContainerStatuses: messages(10, containerStatusShape),
      containerStatuses: messages(8, containerStatusShape),
    }),
  ),
});
