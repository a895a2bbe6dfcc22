import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import { urlPassword } from '../../domain/secrets/token-shapes.ts'
import { RunFault } from './run-fault.ts'

/** Characters that hide or reorder a text where it is shown (CVE-2021-42574), beside the ends of lines and the tab. */
const misleading = new RegExp(
  String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)`,
)
/**
 * A whole password of a URL: the name of a variable, a command or a place to fill in, as shells, templates and Windows
 * write them, in quotes or not. What is none of these is the password itself, which all members would read in what is
 * shown; one that has a `$` or a bracket somewhere is none of these.
 */
const passwordByName = /^["']*(?:\$\w+|\$env:\w+|[$#]?\{.*\}|\$\(.*\)|`.*`|<.*>|%\w+%|!\w+!)["']*$/

type TextHook = Pick<HookFile, 'name' | 'path'> & { text: string }

/**
 * Ends the build where what is shown of a hook would not be what hosts execute. Its author chooses the build variables
 * and could have the masks blank a command: by a variable with the command as its value, or after the first line of a
 * private key. `mask` leaves the passwords in URLs, and is given the raw text: without a part of it, a secret that goes
 * across that part would not be found, and be shown in clear.
 */
export async function assertShownWhole(
  hooks: readonly TextHook[],
  mask: (texts: readonly string[]) => Promise<string[]>,
): Promise<void> {
  for (const { name, path, text } of hooks) {
    const found = misleading.exec(text)
    if (found)
      throw new RunFault(
        'build_errored',
        `The hook "${name}" is ${path}, which has the character ${codePoint(found[0])} in line ${lineAt(text, found.index)}. Who approves the release would not see the text that hosts execute. Remove the character, or write it as an escape.`,
      )
  }
  const masked = await mask(hooks.map(({ text }) => text))
  for (const [at, { name, path, text }] of hooks.entries()) {
    const hidden = firstHidden(text, masked[at] ?? '')
    if (hidden === undefined) continue
    throw new RunFault(
      'build_errored',
      `The hook "${name}" is ${path}, which has the value of a sensitive build variable, or what looks like a key, token or password, in line ${lineAt(text, hidden)}. It would be hidden from who approves the release. Take it out of the file: hooks are given the deploy variables of the pipeline. If the value is no secret, make its build variable non-sensitive.`,
    )
  }
}

const codePoint = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

function firstHidden(text: string, masked: string): number | undefined {
  if (text !== masked) return firstDifference(text, masked)
  return urlPassword
    .find(text)
    .find(({ start, end }) => !passwordByName.test(text.slice(start, end)))?.start
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
