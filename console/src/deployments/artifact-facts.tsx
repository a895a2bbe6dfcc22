import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { pathOf } from '../api/call.ts'
import { routes } from '../api/operations.ts'
import { CopyButton } from '../parts/copy-line.tsx'
import { Time } from '../parts/time.tsx'
import { sizeWords } from './release-words.ts'

type Artifact = NonNullable<AnyRunDetail['artifact']>
type Props = { run: AnyRunDetail; place: RunPlace }

/** What the run built or deploys: its digest, its signature, and what of it can be downloaded. */
export function ArtifactFacts({ run: { artifact, state }, place }: Props) {
  const [openedMs] = useState(() => Date.now())
  if (!artifact)
    return (
      <p className="dim">
        {state === 'running' ? 'Not built yet.' : 'The run ended without an artifact.'}
      </p>
    )
  const isKept = artifact.keptUntil === null || Date.parse(artifact.keptUntil) > openedMs
  return (
    <>
      <dl className="pairs">
        <dt>Size</dt>
        <dd>
          {sizeWords(artifact.sizeBytes)}, {plural(artifact.files, 'entry', 'entries')}
        </dd>
        <dt>Signature</dt>
        <dd>
          {artifact.signed ? (
            <>
              signed (<Link to="/organization/signing-keys">keys</Link>)
            </>
          ) : (
            'not signed yet'
          )}
        </dd>
        <dt>Kept</dt>
        <dd>
          <Kept artifact={artifact} isKept={isKept} />
        </dd>
        <dt>Digest</dt>
        <dd>
          <code className="digest">{artifact.digest}</code>
        </dd>
      </dl>
      <div className="artifact-acts">
        <CopyButton text={artifact.digest} word="Copy digest" />
        {isKept && <Downloads artifact={artifact} place={place} />}
      </div>
    </>
  )
}

function Kept({ artifact, isKept }: { artifact: Artifact; isKept: boolean }) {
  if (artifact.keptUntil === null) return 'while it is in use or among the newest'
  return (
    <>
      {isKept ? 'until ' : 'removed '}
      <Time at={artifact.keptUntil} />
    </>
  )
}

/** Plain links, so that the browser streams a download to disk. */
function Downloads({ artifact, place }: { artifact: Artifact; place: RunPlace }) {
  const { may } = useMe()
  const addressOf = (id: 'getRunArtifact' | 'getRunProvenance' | 'getRunSbom') =>
    pathOf(routes[id][1], { id: place.id, runId: place.runId })
  return (
    <>
      {may('mutate_infra') && (
        <a className="button" href={addressOf('getRunArtifact')} download>
          Download artifact
        </a>
      )}
      {artifact.signed && (
        <a
          className="button"
          href={addressOf('getRunProvenance')}
          download={`provenance-${place.runId}.json`}
        >
          Provenance
        </a>
      )}
      {artifact.sbom.map((format) => (
        <a
          key={format}
          className="button"
          href={`${addressOf('getRunSbom')}?format=${format}`}
          download={`materials-${place.runId}.${format}.json`}
        >
          Bill of materials ({format === 'spdx' ? 'SPDX' : 'CycloneDX'})
        </a>
      ))}
    </>
  )
}
