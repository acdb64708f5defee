/** Breaks `text` at spaces into lines of at most `width` characters, each after `indent`; a longer word is broken where it must be. */
export function wrap(text: string, width: number, indent = "", joint = ""): string {
  const room = width - indent.length - joint.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((whole) => broken(whole, room))) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((each) => indent + each).join(`${joint}\n`);
}

function broken(word: string, room: number): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < word.length; from += room) parts.push(word.slice(from, from + room));
  return parts;
}
