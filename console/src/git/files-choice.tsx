import { Choice } from '../parts/choice.tsx'

export type FilesFrom = 'inline' | 'git'

/** Where the files of a workspace come from. */
export function FilesChoice({
  value,
  onChange,
}: {
  value: FilesFrom
  onChange: (value: FilesFrom) => void
}) {
  return (
    <fieldset className="choices">
      <legend>Where do the files come from?</legend>
      <Choice
        name="filesFrom"
        value="inline"
        label="From the console"
        words="You write them in the editor or upload them. Each save is a version."
        checked={value === 'inline'}
        onChange={() => onChange('inline')}
      />
      <Choice
        name="filesFrom"
        value="git"
        label="From Git"
        words="Each run reads the newest commit of a branch. A push starts a plan."
        checked={value === 'git'}
        onChange={() => onChange('git')}
      />
    </fieldset>
  )
}
