import type { Mark } from '../editor/code-types.ts'
import { plainText } from '../parts/plain-text.ts'
import { RunLink } from '../runs/run-row.tsx'
import type { RunMarks } from './use-run-marks.ts'

type Props = RunMarks & { onOpen: (file: string, line: number) => void }

/** What the last run said about the files, as a list: each entry leads to its line. */
export function RunProblems({ run, marks, onOpen }: Props) {
  if (!run || marks.size === 0) return null
  return (
    <section className="problems" aria-label="Problems of the last run">
      <p>
        <RunLink place={run.place}>{run.name}</RunLink> failed with:
      </p>
      <ul>
        {[...marks].flatMap(([file, ofFile]) =>
          ofFile.map((mark) => (
            <li key={`${file} ${mark.line} ${mark.text}`}>
              <button type="button" className="link" onClick={() => onOpen(file, mark.line)}>
                {plainText(file)}, line {mark.line}
              </button>{' '}
              <span>{firstLine(mark)}</span>
            </li>
          )),
        )}
      </ul>
    </section>
  )
}

const firstLine = ({ text }: Mark): string => text.split('\n', 1)[0] ?? ''
