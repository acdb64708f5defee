import { join, sep } from "node:path";
import type { Node, ParameterDeclaration } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { API, type Checker, type NodeHandle } from "typescript/unstable/sync";

export interface ErrorCodes {
  /** First arguments of `new StalewatchError` and of `super` in its subclasses. */
  readonly codes: ReadonlySet<string>;
  /** What the `reason` of an `ApiError` can be, or is compared with. */
  readonly reasons: ReadonlySet<string>;
  /** The `code` in an answer of a listener. */
  readonly answers: ReadonlySet<string>;
  /** Expressions that lead to no text: what the API server itself says, or a way of writing codes that this file does not know. */
  readonly open: ReadonlySet<string>;
}

/** Every error code that the sources in `folder` can raise, as the type checker and the flow of constants and parameters tell. */
export function errorCodesOf(root: string, folder: string): ErrorCodes {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects();
    if (!project) throw new Error("tsconfig.json makes no project");
    const { checker, program } = project;
    const files = program.getSourceFileNames().filter((name) => name.startsWith(join(root, folder) + sep));
    const nodes = files.flatMap((name) => [...walk(program.getSourceFile(name))]);
    const calls = nodes.filter((node) => is.isCallExpression(node));
    const open = new Set<string>();
    const all = (expressions: readonly (Node | undefined)[]): Set<string> => {
      return new Set(expressions.flatMap((expression) => (expression ? texts(expression) : [])));
    };
    /** Every text that an expression can be. */
    const texts = (node: Node): string[] => {
      const type = checker.getTypeAtLocation(node);
      const literals = (type?.isUnionType() ? (type.getTypes() ?? []) : [type]).map((one) => {
        return one?.isStringLiteralType() ? one.value : undefined;
      });
      if (literals.every((text) => text !== undefined)) return literals;
      const sources = originsOf(node, checker, calls);
      if (sources.length === 0) open.add(node.getText());
      return sources.flatMap(texts);
    };
    return {
      codes: all(nodes.map(codeIn)),
      reasons: all([...nodes.map(reasonIn), ...calls.flatMap(comparedReasons)]),
      answers: all(calls.map((call) => (call.expression.getText() === "refuse" ? call.arguments[2] : undefined))),
      open,
    };
  } finally {
    api.close();
  }
}

function codeIn(node: Node): Node | undefined {
  if (is.isNewExpression(node) && node.expression.getText() === "StalewatchError") return node.arguments?.[0];
  if (!is.isCallExpression(node) || node.expression.getText() !== "super") return undefined;
  const subclass = ancestor(node, is.isClassDeclaration);
  const extended = subclass?.heritageClauses?.flatMap(({ types }) => types.map((type) => type.getText())) ?? [];
  // An ApiError makes its code of its reason.
  return extended.includes("StalewatchError") && subclass?.name?.text !== "ApiError" ? node.arguments[0] : undefined;
}

function reasonIn(node: Node): Node | undefined {
  if (!is.isNewExpression(node) || node.expression.getText() !== "ApiError") return undefined;
  const [options] = node.arguments ?? [];
  if (!options || !is.isObjectLiteralExpression(options)) return options;
  for (const property of options.properties) {
    if (is.isSpreadAssignment(property) || property.name?.getText() !== "reason") continue;
    return is.isPropertyAssignment(property) ? property.initializer : property.name;
  }
  return options;
}

/** What the predicates compare with. */
function comparedReasons(call: Node): readonly Node[] {
  return is.isCallExpression(call) && call.expression.getText() === "hasReason" ? call.arguments.slice(1) : [];
}

/** The expressions that give `node` its value, one step back; none where that cannot be said. */
function originsOf(node: Node, checker: Checker, calls: readonly Node[]): readonly Node[] {
  if (is.isParenthesizedExpression(node)) return [node.expression];
  if (is.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  if (is.isBinaryExpression(node)) return [node.left, node.right];
  if (is.isCallExpression(node)) return returnsOf(declarationOf(node.expression, checker));
  if (is.isElementAccessExpression(node)) return valuesOf(declarationOf(node.expression, checker));
  const declaration = declarationOf(node, checker);
  if (declaration && is.isVariableDeclaration(declaration))
    return declaration.initializer ? [declaration.initializer] : [];
  return declaration && is.isParameterDeclaration(declaration) ? argumentsFor(declaration, checker, calls) : [];
}

function declarationOf(node: Node, checker: Checker): Node | undefined {
  const inShorthand = node.parent && is.isShorthandPropertyAssignment(node.parent);
  const symbol = inShorthand
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const handle: NodeHandle | undefined = symbol?.valueDeclaration ?? symbol?.declarations[0];
  return handle?.resolve();
}

function returnsOf(declaration: Node | undefined): readonly Node[] {
  return [...walk(declaration)].flatMap((node) => {
    return is.isReturnStatement(node) && node.expression ? [node.expression] : [];
  });
}

/** The values of a constant table. */
function valuesOf(declaration: Node | undefined): readonly Node[] {
  if (!declaration || !is.isVariableDeclaration(declaration) || !declaration.initializer) return [];
  if (!is.isObjectLiteralExpression(declaration.initializer)) return [];
  return declaration.initializer.properties.flatMap((one) => (is.isPropertyAssignment(one) ? [one.initializer] : []));
}

/** What the callers of a function give it. */
function argumentsFor(parameter: ParameterDeclaration, checker: Checker, calls: readonly Node[]): readonly Node[] {
  const callee = parameter.parent;
  if (!is.isFunctionDeclaration(callee)) return [];
  const place = callee.parameters.indexOf(parameter);
  return calls.flatMap((call) => {
    if (!is.isCallExpression(call) || call.expression.getText() !== callee.name?.text) return [];
    const argument = call.arguments[place];
    return argument && declarationOf(call.expression, checker) === callee ? [argument] : [];
  });
}

function ancestor<T extends Node>(node: Node, fits: (node: Node) => node is T): T | undefined {
  for (let at: Node | undefined = node.parent; at; at = at.parent) if (fits(at)) return at;
  return undefined;
}

function* walk(node: Node | undefined): Generator<Node> {
  if (!node) return;
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* walk(child);
}
