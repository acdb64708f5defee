import { Command, CommanderError, type Option } from "commander";
import { oneLine } from "../base/index.ts";
import type { Action, Context } from "./command.ts";
import { commands } from "./commands.ts";
import { errorLine, EXIT, exitCodeOf, UsageError } from "./failure.ts";
import { didYouMean } from "./nearest.ts";
import { systemTerminal, type Terminal } from "./terminal.ts";

export interface MainOptions {
  terminal?: Terminal;
  signal?: AbortSignal;
}

/**
 * Runs one command line and answers its exit code; never throws and never ends the process itself. Only the command that is named
 * is loaded.
 */
export async function main(argv: readonly string[], options: MainOptions = {}): Promise<number> {
  const terminal = options.terminal ?? systemTerminal();
  const context: Context = { terminal, ...(options.signal ? { signal: options.signal } : {}) };
  try {
    return await dispatch(argv, context);
  } catch (error) {
    terminal.err(errorLine(error, wantsStack(argv, terminal)));
    return exitCodeOf(error);
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  const program = strict(new Command("stalewatch"), terminal)
    .description("How stale is each controller's cache, which Jobs are stuck, and why.")
    .addHelpText(
      "after",
      "\nExample:\n  stalewatch demo --for 40s\n\nstalewatch COMMAND --help tells more of one command.",
    );
  const given = argv[0] === "--version" || argv[0] === "-V" ? ["version", ...argv.slice(1)] : argv;
  const named = given[0] === "help" ? given[1] : given[0];
  let exitCode: number = EXIT.fine;
  for (const entry of commands) {
    const command = strict(program.command(entry.name), terminal).description(entry.summary);
    if (entry.name !== named) continue;
    const act: Action = (await entry.load()).configure(command, context);
    command.action(async () => {
      exitCode = await act(command.opts(), command.args);
    });
  }
  try {
    await program.parseAsync(given.length === 0 ? ["--help"] : given, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.fine;
    throw usageError(error, program, named, terminal);
  }
  return exitCode;
}

/** Errors come to us instead of ending the process, and unknown arguments are errors. */
function strict(command: Command, terminal: Terminal): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: () => {}, // told by `errorLine` instead, in one line
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => terminal.colour,
    });
}

function usageError(error: CommanderError, program: Command, named: string | undefined, { env }: Terminal): UsageError {
  const command = program.commands.find((other) => other.name() === named);
  const typed = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  const see = `see stalewatch ${command ? `${command.name()} ` : ""}--help`;
  if (error.code === "commander.unknownOption") {
    const flags = (command ?? program).options.map((option: Option) => option.long ?? "").concat("--help");
    const flag = oneLine(typed.replace(/=.*/s, ""));
    return new UsageError(`${flag} is not a flag of ${command?.name() ?? "stalewatch"}`, didYouMean(flag, flags, see));
  }
  if (error.code === "commander.unknownCommand" || (!command && error.code === "commander.excessArguments")) {
    const name = oneLine(named ?? typed);
    return new UsageError(
      `${name} is not a command`,
      didYouMean(
        name,
        commands.map((entry) => entry.name),
        see,
      ),
    );
  }
  if (command && error.code === "commander.excessArguments") return argumentsGiven(command, see, env);
  return new UsageError(oneLine(error.message.replace(/^error: /, "").replace(/\.$/, "")), see);
}

function argumentsGiven(command: Command, see: string, env: Terminal["env"]): UsageError {
  const throughNpm = env["npm_lifecycle_event"] !== undefined; // it keeps a flag to itself and passes its value on
  const remedy = throughNpm ? "npm takes flags for its own: put -- before them" : see;
  return new UsageError(`${command.name()} takes flags only, not ${oneLine(command.args.join(" "))}`, remedy);
}

/** Known before the settings are: a mistake in the settings must be traceable too. */
function wantsStack(argv: readonly string[], { env }: Terminal): boolean {
  const at = argv.indexOf("--log-level");
  return argv.includes("--log-level=debug") || (at >= 0 ? argv[at + 1] : env["STALEWATCH_LOG_LEVEL"]) === "debug";
}
