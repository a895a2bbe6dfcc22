import { join } from 'node:path'
import { judgeModules, type Verdict } from './architecture/judge-modules.ts'
import { layers } from './architecture/layers.ts'
import { limits } from './architecture/limits.ts'
import { readModules } from './architecture/read-modules.ts'

/** Part of `npm run check`: prints the imports between layers, and fails on violations and cycles. */
const modules = readModules(join(import.meta.dirname, '..'))
const verdict = judgeModules(modules, limits)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

printTable(verdict)
for (const note of verdict.notes) say(`note: ${note}`)
for (const cycle of verdict.cycles) say(`cycle: ${cycle.join(', ')}`)
for (const violation of verdict.violations) say(violation)
const imports = limits.exceptions.flatMap(({ to }) => to).length
say(`excepted by name: ${imports} imports, ${limits.cycles.length} cycles`)
say(
  `${modules.length} files, ${verdict.violations.length} violations, ${verdict.cycles.length} cycles`,
)
if (verdict.violations.length + verdict.cycles.length > 0) process.exitCode = 1

/** Prints one row per layer: its imports of each other layer, and its functions over the limit. */
function printTable({ counts, longFunctions }: Verdict): void {
  const names = Object.keys(layers)
  const imported = names.filter((to) => names.some((from) => counts.has(`${from} ${to}`)))
  const row = (name: string, cells: readonly (string | number)[]) =>
    say(
      [name.padEnd(10), ...cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0))].join(
        ' ',
      ),
    )
  const head = [...imported, `>${limits.maxLines} lines`]
  const widths = head.map((name) => Math.max(5, name.length))
  row('imports', head)
  for (const from of names) {
    const long = [...longFunctions].find(([layer]) => layer === from)?.[1]
    row(from, [...imported.map((to) => counts.get(`${from} ${to}`) ?? '·'), long ?? '·'])
  }
}
