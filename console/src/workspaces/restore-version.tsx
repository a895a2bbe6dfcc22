import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { configurationVersionQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'

type Props = { workspace: Workspace; version: number; onDone?: () => void }

/** Makes a new version with the files of an older one. No version is changed or removed. */
export function RestoreVersion({ workspace, version, onDone }: Props) {
  const { id, configurationVersion: newest, source } = workspace
  const { may } = useMe()
  const queryClient = useQueryClient()
  if (newest === null || version >= newest || source.kind === 'git' || !may('mutate_infra'))
    return null
  const restore = async () => {
    const { configuration } = await queryClient.fetchQuery(configurationVersionQuery(id, version))
    if (!configuration) throw new Error(`There is no version ${version} of the files.`)
    // The question named the newest version, so a newer one refuses the save.
    return call('putConfiguration', {
      params: { id },
      body: { files: configuration.files },
      followsVersion: newest,
    })
  }
  return (
    <ConfirmButton
      label="Restore…"
      name={`Restore version ${version}`}
      title={`Restore version ${version}?`}
      act="Restore it"
      run={restore}
      refresh={['workspaces', id]}
      {...(onDone && { onDone })}
    >
      {`The files become a new version with the text of version ${version}. Version ${newest} stays in the history.`}
    </ConfirmButton>
  )
}
