import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from "@microsoft/api-extractor";

const root = join(import.meta.dirname, "../..");

/** An export or a member of one, as far as the reference needs what API Extractor says of it. */
export interface ApiItem {
  readonly kind: string;
  /** Constructors and call signatures have none. */
  readonly name?: string;
  /** With its comment signs; "" for none. */
  readonly docComment?: string;
  readonly excerptTokens?: readonly { readonly text: string }[];
  /** The declaration's file below a temporary folder: `controller/manager.d.ts` at its end. */
  readonly fileUrlPath?: string;
  readonly members?: readonly ApiItem[];
}

/** What one entry of the package exports. */
export interface ApiModel {
  /** The public surface in one file, whose changes a review looks at. */
  readonly report: string;
  readonly items: readonly ApiItem[];
}

/** The entries by their names in etc/, with their declarations. */
const entries = { stalewatch: "index.d.ts", "stalewatch-testing": "testing/index.d.ts" } as const;

let models: Readonly<Record<keyof typeof entries, ApiModel>> | undefined;

/** Compiles the declarations, once for all who ask. Errors: those of the compiler and of API Extractor. */
export function apiModel(entry: keyof typeof entries): ApiModel {
  models ??= extractAll();
  return models[entry];
}

function extractAll(): NonNullable<typeof models> {
  // Inside the project, since the declarations import packages.
  const folder = mkdtempSync(join(root, ".api-"));
  try {
    const options = ["--project", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder];
    execFileSync(join(root, "node_modules/.bin/tsc"), options, { cwd: root, stdio: "inherit" });
    const [stalewatch, testing] = Object.entries(entries).map(([name, file]) => extract(folder, name, file));
    return { stalewatch: stalewatch as ApiModel, "stalewatch-testing": testing as ApiModel };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function extract(folder: string, name: string, file: string): ApiModel {
  const modelPath = join(folder, `${name}.api.json`);
  const { succeeded } = Extractor.invoke(
    ExtractorConfig.prepare({
      configObject: configuration(folder, { entry: join(folder, file), reportName: `${name}.api.md`, modelPath }),
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, "package.json"),
    }),
    {
      localBuild: true,
      messageCallback: (message) => void (message.handled = message.logLevel !== ExtractorLogLevel.Error),
    },
  );
  if (!succeeded) throw new Error(`the public surface of ${name} could not be read`);
  const { members: [entry] = [] } = JSON.parse(readFileSync(modelPath, "utf8")) as ApiItem;
  return { report: readFileSync(join(folder, `${name}.api.md`), "utf8"), items: entry?.members ?? [] };
}

interface Paths {
  readonly entry: string;
  readonly reportName: string;
  readonly modelPath: string;
}

function configuration(folder: string, { entry, reportName, modelPath }: Paths): IConfigFile {
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024", "esnext.disposable"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  };
  return {
    projectFolder: root,
    mainEntryPointFilePath: entry,
    compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
    apiReport: {
      enabled: true,
      reportFileName: reportName,
      reportFolder: folder,
      reportTempFolder: join(folder, "temp"),
    },
    docModel: { enabled: true, apiJsonFilePath: modelPath },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: "lf",
    messages: {
      // Docstrings are plain Markdown, and there are no release tags.
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
        "ae-undocumented": { logLevel: ExtractorLogLevel.None },
        // Types that only the runtime itself makes and takes need no name outside.
        "ae-forgotten-export": { logLevel: ExtractorLogLevel.None },
      },
    },
  };
}
