import { invalid } from '../../domain/errors.ts'

/** The name without the spaces around it, by which it would look like another pipeline's. */
export function checkPipelineName(sent: string): string {
  const name = sent.trim()
  if (/^provision-/i.test(name))
    throw invalid('Names that begin with "provision-" belong to workspaces.', [
      { path: 'name', message: 'choose a name that does not begin with "provision-"' },
    ])
  return name
}
