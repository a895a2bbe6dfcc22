import { createHash } from 'node:crypto'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import type { HookName } from '../../domain/pipelines/release-plan.ts'
import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import { selectFiles, type FileChoice } from '../../gateways/artifacts/select-files.ts'
import { assertShownWhole } from './assert-shown-whole.ts'
import type { Attempt } from './begin-attempt.ts'
import { RunFault } from './run-fault.ts'
import type { OpenedSource } from './with-source.ts'

/** Longer ones are shown by their hash alone. */
const maxTextBytes = 64 * 1024
/** Larger ones take too long to hash. */
const maxHashedBytes = 256 * 1024 ** 2
const maxHooks = 4
const limitSeconds = 300

/**
 * The arguments are the choice of the artifact's files, as of `find`. An archive gives everybody the right to execute
 * that somebody has. A link is followed on the host, so what it leads to must be chosen too.
 */
const script = `refuse() { printf 'fault:%s:%s\\n' "$1" "$(printf %s "$2" | base64 -w 0)"; exit 0; }
at=0
while [ "$at" -lt "$CC_HOOKS" ]; do
  eval "path=./\\$CC_HOOK_$at"
  at=$((at + 1))
  test -f "$path" || refuse missing "$path"
  real=./$(realpath --relative-to=. -- "$path")
  for name in "$path" "$real"; do
    test -n "$(find "$name" -maxdepth 0 "$@" -printf x)" || refuse left-out "$name"
  done
  test -n "$(find "$real" -maxdepth 0 -perm /111 -printf x)" || refuse not-executable "$path"
  size=$(stat -L -c %s -- "$path")
  if [ "$size" -le ${maxTextBytes} ]; then printf 'bytes:%s\\n' "$(base64 -w 0 < "$path")"
  elif [ "$size" -le ${maxHashedBytes} ]; then printf 'sha256:%s\\n' "$(sha256sum < "$path" | cut -c 1-64)"
  else echo large; fi
done`

type NamedHook = Pick<HookFile, 'name' | 'path'>

/**
 * The hooks of what was built, for who approves it. They are files of the artifact that may be executed: one that is
 * not would be found on a host, after the switch, so it ends the build.
 */
export async function readHooks(
  { mask }: Pick<Attempt, 'mask'>,
  { bench }: OpenedSource,
  { folder, choice, deploy }: { folder: string; choice: FileChoice; deploy: Manifest['deploy'] },
): Promise<HookFile[]> {
  const named = Object.entries(deploy?.hooks ?? {}).map(([name, hook]) => ({
    // A key of the schema.
    name: name as HookName,
    path: typeof hook === 'string' ? hook : hook.path,
  }))
  if (named.length === 0) return []
  for (const { name, path } of named)
    // An agent refuses a claim that has such a path.
    if (plainOf(path) !== path)
      throw new RunFault(
        'build_errored',
        `The hook "${name}" is ${path}. Write the path as ${plainOf(path)}.`,
      )
  const end = await bench.run({
    program: 'sh',
    args: ['-ec', script, 'sh', ...selectFiles(choice)],
    env: {
      PATH: '/usr/bin:/bin',
      // Names are compared by their bytes, as the packing does.
      LC_ALL: 'C',
      CC_HOOKS: String(named.length),
      ...Object.fromEntries(named.map(({ path }, at) => [`CC_HOOK_${at}`, path])),
    },
    cwd: folder,
    network: 'none',
    limits: {
      // Seconds, where nothing else is under way. It says nothing before its end.
      timeoutMs: limitSeconds * 1_000,
      silenceMs: limitSeconds * 1_000,
      memoryBytes: 256 * 1024 ** 2,
      processes: 16,
      fileSizeBytes: 1024 ** 2,
    },
    captureBytes: maxHooks * 2 * maxTextBytes,
  })
  const lines = end.stdout.toString().split('\n').slice(0, -1)
  const [isFault, fault = '', file = ''] = lines.at(-1)?.split(':') ?? []
  const refused = named[lines.length - 1]
  if (end.exitCode === 0 && isFault === 'fault' && refused)
    throw new RunFault('build_errored', faultOf(refused, fault, plainOf(decoded(file).toString())))
  if (end.exitCode !== 0 || lines.length !== named.length)
    throw new RunFault(
      'build_errored',
      end.how === 'timed_out' || end.how === 'silent'
        ? `The hooks of the artifact were not read within ${limitSeconds} seconds.`
        : 'The hooks of the artifact cannot be read.',
    )
  const hooks = named.map((hook, at) => ({ ...hook, ...contentOf(lines[at] ?? '') }))
  await assertShownWhole(
    hooks.flatMap(({ name, path, text }) => (text === null ? [] : [{ name, path, text }])),
    async (texts) => mask.texts(texts, maxTextBytes, { urls: false }),
  )
  return hooks
}

const decoded = (base64: string): Buffer => Buffer.from(base64, 'base64')

const plainOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

function faultOf({ name, path }: NamedHook, fault: string, file: string): string {
  if (fault === 'left-out') {
    const what = file === plainOf(path) ? path : `a link to ${file}`
    return `The hook "${name}" is ${what}, which "include" and "exclude" of the artifact leave out. Have them choose it.`
  }
  return fault === 'not-executable'
    ? `The hook "${name}" is ${path}, which may not be executed. Commit it with "git update-index --chmod=+x", or run "chmod +x" in the build.`
    : `The artifact has no file ${path}, the hook "${name}".`
}

function contentOf(line: string): Pick<HookFile, 'sha256' | 'text'> {
  const [kind, value = ''] = line.split(':')
  if (kind === 'sha256') return { sha256: value, text: null }
  if (kind !== 'bytes') return { sha256: null, text: null }
  const bytes = decoded(value)
  const text = bytes.toString()
  const isText = !text.includes('\0') && Buffer.from(text).equals(bytes)
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    text: isText ? text : null,
  }
}
