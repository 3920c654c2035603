/**
 * The job of a command may be named in two ways: in its place, or with `--job`.
 *
 * Owns: putting `--job` into the place of commands that have one. Leaves out: commands whose `--job` is a flag.
 */

/** Commands of which the job is the first place, by their words. */
const placed: ReadonlySet<string> = new Set(
  (
    'next,vote,train,rollback,promote,jobs show,jobs start,jobs stop,models list,models show,' +
    'safety show,safety set,safety forecast,safety reopen,replay start,replay show,replay list,replay cancel'
  ).split(','),
)

/** The arguments with the job in its place. */
export function withJobFirst(args: readonly string[]): readonly string[] {
  const words = [1, 2].find((length) => placed.has(args.slice(0, length).join(' ')))
  if (words === undefined) return args
  const end = args.indexOf('--')
  const at = args.findIndex((arg, place) => /^--job(=|$)/.test(arg) && (end < 0 || place < end))
  if (at < 0) return args
  const given = args[at] as string
  const isOne = given.includes('=')
  const job = isOne ? given.slice(given.indexOf('=') + 1) : args[at + 1]
  if (job === undefined) return args
  const rest = args.filter((_, place) => place >= words && place !== at && (isOne || place !== at + 1))
  return [...args.slice(0, words), job, ...rest]
}
