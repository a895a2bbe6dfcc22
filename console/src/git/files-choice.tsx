import { Choices } from '../parts/choices.tsx'

export type FilesFrom = 'inline' | 'git'
type Props = { value: FilesFrom; onChange: (value: FilesFrom) => void }

export const gitOption = {
  value: 'git',
  label: 'From Git',
  words: 'Each run reads the newest commit of a branch. A push starts a plan.',
} as const

const options = [
  {
    value: 'inline',
    label: 'From the console',
    words: 'You write them in the editor or upload them. Each save is a version.',
  },
  gitOption,
] as const

export const FilesChoice = (props: Props) => (
  <Choices {...props} name="filesFrom" legend="Where do the files come from?" options={options} />
)
