import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { CONTROLLERS_UID } from "../dashboard-uids.ts";
import { DATASOURCE } from "./panels.ts";
import type { Row } from "./row.ts";
import { apiServerRow } from "./rows/api-server.ts";
import { cachesRow } from "./rows/caches.ts";
import { lagRow } from "./rows/lag.ts";
import { overviewRow } from "./rows/overview.ts";
import { passesRow } from "./rows/passes.ts";
import { processRow } from "./rows/process.ts";
import { queuesRow } from "./rows/queues.ts";
import { requeuesRow } from "./rows/requeues.ts";
import { stuckJobsRow } from "./rows/stuck-jobs.ts";

const rows: readonly Row[] = [
  overviewRow,
  lagRow,
  cachesRow,
  passesRow,
  queuesRow,
  requeuesRow,
  apiServerRow,
  processRow,
  stuckJobsRow,
];

/** "Stalewatch / Controllers": from the stuck Job down to the process, one row a question. */
export function controllersDashboard(): Dashboard {
  const builder = new DashboardBuilder("Stalewatch / Controllers")
    .uid(CONTROLLERS_UID)
    .description(
      "Lag of caches, passes, queues and requeues of controllers on the stalewatch runtime, and the Jobs that are stuck.",
    )
    .tags(["stalewatch", "kubernetes"])
    .readonly()
    .timezone("utc")
    .refresh("30s")
    .time({ from: "now-1h", to: "now" })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
    .withVariable(variable("cluster", "Cluster", "label_values(stalewatch_build_info, cluster)"))
    .withVariable(
      variable(
        "namespace",
        "Namespace of the process",
        'label_values(store_resource_version{cluster=~"$cluster"}, namespace)',
      ),
    )
    .withVariable(
      variable(
        "job",
        "Scrape job",
        'label_values(store_resource_version{cluster=~"$cluster", namespace=~"$namespace"}, job)',
      ),
    )
    .withVariable(
      variable(
        "instance",
        "Instance",
        'label_values(store_resource_version{cluster=~"$cluster", namespace=~"$namespace", job=~"$job"}, instance)',
      ),
    )
    .withVariable(
      variable(
        "controller",
        "Controller",
        'label_values(stalewatch_passes_total{cluster=~"$cluster", namespace=~"$namespace", job=~"$job", instance=~"$instance"}, controller)',
      ),
    )
    .annotation(
      new AnnotationQueryBuilder()
        .name("Firing alerts")
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor("red")
        .expr('ALERTS{alertname=~"Stalewatch.+", alertstate="firing", cluster=~"$cluster"}')
        .titleFormat("{{alertname}}")
        .textFormat("{{controller}} {{namespace}} {{owner_name}} {{resource}}"),
    );
  for (const { title, panels } of rows) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  return numbered(builder.build());
}

/** All values unless one is picked; matches series without the label too, since not everybody has a cluster label. */
function variable(name: string, label: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query, refId: name })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue(".*");
}

/** Panels get their ids by their order: links to one panel, and the diff of a new version, need them. */
function numbered(dashboard: Dashboard): Dashboard {
  return { ...dashboard, panels: (dashboard.panels ?? []).map((panel, at) => ({ ...panel, id: at + 1 })) };
}
