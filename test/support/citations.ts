/**
 * Checks that what the repository cites exists: numbered decisions, sections, links and files.
 *
 * Numbers are headings of server/CONTRACT.md (S, C) and of engine/DESIGN.md (D). A file is cited by its base name, or
 * by the end of its path, so a file may move without breaking its citations. Code blocks in documents are examples and
 * are not checked.
 */
import { basename, dirname, extname, join } from 'node:path'

/** Comments by the ending of the file: whole lines, and what follows code. */
const slashComments = [/^[ \t]*\/\*[\s\S]*?\*\//gm, /(?<=^|\s)\/\/ .*$/gm]
const hashComments = [/(?<=^|\s)# .*$/gm, /"""[\s\S]*?"""/g]
const comments: Readonly<Record<string, readonly RegExp[]>> = {
  '.ts': slashComments,
  '.js': slashComments,
  '.py': hashComments,
  '.yaml': hashComments,
  '.service': hashComments,
  '.lua': [/(?<=^|\s)-- .*$/gm],
}

const NUMBER = String.raw`(?:[SD]\d{1,2}|C\d(?:\.\d{1,2})?)`
/** A number in a comment or document. Colours, paths and longer words do not count. */
const number = new RegExp(String.raw`(?<![\w#$/.-])${NUMBER}(?![\w-])`, 'g')
/** A number in code, as in the names of tests: in parentheses, alone or in a list. */
const numbersInCode = new RegExp(String.raw`(?<= )\(${NUMBER}(?:(?:, | to | and )${NUMBER})*\)`, 'g')
/** A file, perhaps with folders and with a section. A pattern (`*-thread.ts`, `<name>.md`) does not count. */
const fileName = /(?<![\w/.@:*<>{}…-])((?:[\w.@-]+\/)*[\w-][\w.-]*\.(?:ts|md|py|lua|yaml|json))\b(?![\w/-])(#[\w-]+)?/g
const link = /\]\(([^)\s]+)\)|^\[[^\]]+\]:\s+(\S+)/gm
const fence = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1.*$/gm
const address = /\bhttps?:\/\/[^\s)>`]+/g

export interface Tree {
  /** Paths from the root, with `/`. */
  readonly files: readonly string[]
  read(file: string): string
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of text.replace(fence, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = (heading as string).replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const slug = plain
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

/** The parts of a file that may cite something: its comments, or a document without its code blocks. */
function proseOf(file: string, text: string): string {
  if (file.endsWith('.md')) return text.replace(fence, '')
  return (comments[extname(file)] ?? []).flatMap((comment) => text.match(comment) ?? []).join('\n')
}

/** Every citation that leads nowhere, as a sentence. */
export function brokenCitations(tree: Tree): string[] {
  const byName = new Map<string, string[]>()
  for (const file of tree.files) byName.set(basename(file), [...(byName.get(basename(file)) ?? []), file])
  const find = (name: string): string[] => {
    const path = name.replace(/^(?:\.{1,2}\/)+/, '')
    return (byName.get(basename(path)) ?? []).filter((file) => file === path || file.endsWith(`/${path}`))
  }
  const anchors = new Map<string, Set<string>>()
  const hasAnchor = (file: string, anchor: string): boolean => {
    let known = anchors.get(file)
    if (known === undefined) anchors.set(file, (known = anchorsOf(tree.read(file))))
    return known.has(anchor)
  }
  const numbers = new Set([
    ...numberedIn(tree, find('server/CONTRACT.md'), /^#+ ([SC]\d[\d.]*)\b/gm),
    ...numberedIn(tree, find('engine/DESIGN.md'), /^(?:#+ |[|] *)?(?:\*\*)?(D\d+)\b/gm),
  ])

  const broken: string[] = []
  for (const file of tree.files) {
    const isDocument = file.endsWith('.md')
    if (!isDocument && !(extname(file) in comments)) continue
    const text = tree.read(file)
    const prose = proseOf(file, text).replace(address, '')
    const cited = [prose, ...(isDocument ? [] : (text.match(numbersInCode) ?? []))].join('\n')
    for (const [name] of cited.matchAll(number)) {
      if (!numbers.has(name)) broken.push(`${file} cites ${name}, which has no heading`)
    }
    broken.push(...brokenNames(file, prose.replace(isDocument ? link : /$^/, ''), find, hasAnchor))
    if (isDocument) broken.push(...brokenLinks(tree, file, prose, hasAnchor))
  }
  return [...new Set(broken)]
}

function brokenNames(
  file: string,
  prose: string,
  find: (name: string) => string[],
  hasAnchor: (file: string, anchor: string) => boolean,
): string[] {
  const broken: string[] = []
  for (const [, name, section] of prose.matchAll(fileName)) {
    if (isNoFile(name as string)) continue
    const found = find(name as string)
    if (found.length === 0) broken.push(`${file} names ${name}, which is not in the tree`)
    else if (section !== undefined && !found.some((one) => hasAnchor(one, section.slice(1)))) {
      broken.push(`${file} cites ${name}${section}, which has no heading`)
    }
  }
  return broken
}

function numberedIn(tree: Tree, documents: readonly string[], heading: RegExp): string[] {
  return documents.flatMap((file) => [...tree.read(file).matchAll(heading)].map(([, name]) => name as string))
}

/** A JSON file without a folder may exist only at run time. A name of one letter stands for any file. */
function isNoFile(name: string): boolean {
  return (name.endsWith('.json') && !name.includes('/')) || /^\w\./.test(basename(name))
}

function brokenLinks(
  tree: Tree,
  file: string,
  prose: string,
  hasAnchor: (file: string, anchor: string) => boolean,
): string[] {
  const broken: string[] = []
  for (const [, inline, reference] of prose.matchAll(link)) {
    const target = (inline ?? reference) as string
    // With a scheme, or an address of the service itself.
    if (/^(?:[a-z]+:|\/)/.test(target)) continue
    const [path, anchor] = target.split('#') as [string, string | undefined]
    const to = path === '' ? file : join(dirname(file), path).replace(/\/$/, '')
    const isFile = tree.files.includes(to)
    if (!isFile && !tree.files.some((one) => one.startsWith(`${to}/`))) {
      broken.push(`${file} links to ${target}, which is not in the tree`)
    } else if (anchor !== undefined && !(isFile && hasAnchor(to, anchor))) {
      broken.push(`${file} links to ${target}, which has no heading`)
    }
  }
  return broken
}
