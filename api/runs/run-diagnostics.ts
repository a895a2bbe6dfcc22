import { posix } from 'node:path'
import type { Static } from 'typebox'
import { openFiles } from '../../app/workspaces/open-files.ts'
import { diagnosticsIn } from '../../domain/runs/diagnostics-in-log.ts'
import { snippetsOf } from '../../domain/runs/snippets.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { DiagnosticBody } from './run-detail-schema.ts'

type Diagnostic = Static<typeof DiagnosticBody>
type Source = {
  workspaceRunId: number
  /** Opens the secrets to search for, so it is asked only where there is something to mask. */
  searchOf: (run: WorkspaceRun) => Promise<SecretSearch>
}

/** What OpenTofu said is wrong, from the logs of the stages that have ended, with the lines that it is about. */
export async function runDiagnostics(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { workspaceRunId, searchOf }: Source,
): Promise<Diagnostic[]> {
  const ended = (await stages(tenant).ofRuns([{ id: workspaceRunId, workspaceRunId }])).filter(
    ({ lastSeq, endedAt }) => lastSeq > 0 && endedAt !== null,
  )
  const perStage = await Promise.all(
    ended.map(async ({ id, name }) => {
      const lines = await logLines(tenant).problems(id, maxLines)
      return diagnosticsIn(lines).map((one) => ({ ...one, stage: name }))
    }),
  )
  if (perStage.every(({ length }) => length === 0)) return []
  const run = await workspaceRuns(tenant).get(workspaceRunId)
  const { path } = await workspaces(tenant).get(run.workspaceId)
  const found = perStage.flat().map((one) => ({
    ...one,
    file: one.file === null ? null : fileIn(path, one.file),
  }))
  const snippets = await readSnippets(deps, tenant, { found, run, searchOf })
  return found.map((one) => ({ ...one, snippet: snippets.get(one) ?? [] }))
}

const maxLines = 2_000

/** To open and parse 2 MiB takes 15 ms of CPU and 8 MB; a body of a configuration can have 10 MiB. */
const maxConfigurationBytes = 2 * 1_048_576

async function readSnippets(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { found, run, searchOf }: Pick<Source, 'searchOf'> & { found: Found[]; run: WorkspaceRun },
): Promise<ReturnType<typeof snippetsOf<Found>>> {
  const versions = configurationVersions(tenant)
  const { sizeBytes, fileNames } = await versions.get(run.configurationVersionId)
  const names = new Set(fileNames)
  // Files of modules are not among them.
  const placed = found.filter(({ file, line }) => line !== null && file !== null && names.has(file))
  if (placed.length === 0 || sizeBytes > maxConfigurationBytes) return new Map()
  const sealed = await versions.sealedFiles(run.configurationVersionId)
  const files = openFiles(deps, tenant.organizationId, sealed)
  return snippetsOf(placed, files, await searchOf(run))
}

type Found = Omit<Diagnostic, 'snippet'>

/** The name of the file in the configuration: OpenTofu names it from the folder of the workspace. */
const fileIn = (folder: string, file: string): string => posix.normalize(posix.join(folder, file))
