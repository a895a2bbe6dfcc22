import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import { RunFault } from './run-fault.ts'

/** Characters that hide or reorder a text where it is shown (CVE-2021-42574), beside the ends of lines and the tab. */
const misleading = new RegExp(
  String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)`,
)
/** The name of a variable where a URL has its password. The masks take it for the password itself. */
const passwordByName = /(?:\$\w+|\$?\{\w+\})(?=@)/g

type TextHook = Pick<HookFile, 'name' | 'path'> & { text: string }

/**
 * Ends the build where what is shown of a hook would not be what hosts execute. Its author chooses the build variables
 * and could have the masks blank a command: by a variable with the command as its value, or after the first line of a
 * private key.
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
  const searched = hooks.map(({ text }) => text.replaceAll(passwordByName, ''))
  const masked = await mask(searched)
  for (const [at, { name, path }] of hooks.entries()) {
    const [before = '', after = ''] = [searched[at], masked[at]]
    if (before === after) continue
    throw new RunFault(
      'build_errored',
      `The hook "${name}" is ${path}, which has the value of a sensitive build variable, or what looks like a key, token or password, in line ${lineAt(before, firstDifference(before, after))}. It would be hidden from who approves the release. Take it out of the file: hooks are given the deploy variables of the pipeline. If the value is no secret, make its build variable non-sensitive.`,
    )
  }
}

const codePoint = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
