import { Link } from '@tanstack/react-router'
import type { Pipeline } from '../api/types.ts'
import { pipelineTabs, type PipelineTab } from '../app/searches.ts'
import { Tabs } from '../parts/tabs.tsx'
import { ApplicationHosts } from './application-hosts.tsx'
import { ApplicationSettings } from './application-settings.tsx'
import { LastRelease } from './last-release.tsx'
import { ManifestDesk } from './manifest-desk.tsx'
import { PipelineRuns } from './pipeline-runs.tsx'
import { PipelineVariables } from './pipeline-variables.tsx'

const titles: Record<PipelineTab, string> = {
  runs: 'Runs',
  hosts: 'What runs where',
  variables: 'Variables',
  manifest: 'Manifest',
  settings: 'Settings',
}

type Props = { pipeline: Pipeline; tab: PipelineTab }

/** The parts of the page of an application pipeline. */
export function ApplicationPipeline({ pipeline, tab }: Props) {
  const { id } = pipeline
  return (
    <>
      <SourceNotes pipeline={pipeline} />
      <LastRelease pipeline={pipeline} />
      <Tabs label="Parts of this pipeline">
        {pipelineTabs.map((one) => (
          <Link
            key={one}
            to="/pipelines/$id"
            params={{ id }}
            search={one === 'runs' ? {} : { tab: one }}
            // Without `exact` the link without a search is current on every tab.
            activeOptions={{ exact: true }}
            className={one === tab ? 'tab current' : 'tab'}
            aria-current={one === tab ? 'page' : undefined}
          >
            {titles[one]}
          </Link>
        ))}
      </Tabs>
      {tab === 'runs' && (
        <PipelineRuns id={id}>
          <p>
            A run builds a commit of the repository, signs the artifact and deploys it. The
            repository needs a manifest first.
          </p>
          <Link
            to="/pipelines/$id"
            params={{ id }}
            search={{ tab: 'manifest' }}
            className="button primary"
          >
            Begin with a manifest
          </Link>
        </PipelineRuns>
      )}
      {tab === 'hosts' && <ApplicationHosts pipeline={pipeline} />}
      {tab === 'variables' && <PipelineVariables id={id} />}
      {tab === 'manifest' && <ManifestDesk />}
      {tab === 'settings' && <ApplicationSettings key={id} pipeline={pipeline} />}
    </>
  )
}

/** What keeps runs from being started. */
function SourceNotes({ pipeline: { id, appGitConnectionId, webhook } }: { pipeline: Pipeline }) {
  const settings = (
    <p className="note-action">
      <Link to="/pipelines/$id" params={{ id }} search={{ tab: 'settings' }}>
        Open the settings
      </Link>
    </p>
  )
  if (appGitConnectionId === null)
    return (
      <div className="note warn">
        <p>
          The Git connection of this pipeline was disconnected, so no run can be started. Choose
          another one.
        </p>
        {settings}
      </div>
    )
  if (webhook?.state === 'unavailable')
    return (
      <div className="note warn">
        <p>
          The Git host does not tell this service about pushes and tags, so they start no run.
          {webhook.reason && (
            <>
              {' '}
              <bdi>{webhook.reason}</bdi>
            </>
          )}
        </p>
        {settings}
      </div>
    )
  return null
}
