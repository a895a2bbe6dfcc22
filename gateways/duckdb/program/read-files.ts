import type { DuckDBConnection } from '@duckdb/node-api'
import type { BillFile } from './bill-file.ts'
import { focusVersion } from './check-columns.ts'
import { checkWholeBill, groupsAreWhole } from './check-groups.ts'
import { duckdbRefusal } from './duckdb-refusal.ts'
import { findFaults } from './find-faults.ts'
import { groupLines } from './group-lines.ts'
import { lookAtFile } from './look-at-file.ts'
import { openDatabase } from './open-database.ts'
import { fileRefused, type ProgramAnswer, type ProgramRequest } from './protocol.ts'
import { makeTagSets } from './tag-sets.ts'
import { writeSlices } from './write-slices.ts'

/** Reads the files of one bill. Rows stay in DuckDB; what comes back are files for COPY, and their sums. */
export async function readFiles(request: ProgramRequest, threads: number): Promise<ProgramAnswer> {
  const { scratchFolder, outFolder } = request
  const inFolders = request.files.map(({ path }) => path.slice(0, path.lastIndexOf('/')))
  const folders = [...new Set([...inFolders, scratchFolder, outFolder])].map((path) => `${path}/`)
  const { connection, close } = await openDatabase(request, { folders, threads })
  try {
    return await readWith(connection, request)
  } catch (error) {
    throw duckdbRefusal({ key: request.files[0]?.key ?? '' }, error)
  } finally {
    close()
  }
}

async function readWith(
  database: DuckDBConnection,
  request: ProgramRequest,
): Promise<ProgramAnswer> {
  const files: BillFile[] = []
  for (const [index, file] of request.files.entries()) {
    process.stderr.write(`reading ${index}\n`)
    const found = await lookAtFile(database, { ...file, index }).catch((error: unknown) => {
      throw duckdbRefusal(file, error)
    })
    // AWS empties the parts that a smaller export no longer needs, and leaves them in its manifest.
    if (found) files.push(found)
  }
  if (files.length === 0) throw fileRefused(request.files[0]?.key ?? '', 'The file is empty')
  const extras = await groupLines(database, files, request)
  if (request.provider !== null) await nameProvider(request.provider)
  if (!(await groupsAreWhole(database)) || !(await makeTagSets(database, request.tagAliases)))
    throw await findFaults(database, files, request)
  await checkWholeBill(database, files[0]?.key ?? '')
  const slices = await writeSlices(database, extras, request.outFolder)
  const versions = files.map(focusVersion).toSorted()
  return { kind: 'read', focusVersion: versions.at(-1) ?? '1.0', slices, rejected: 0 }

  async function nameProvider(provider: string): Promise<void> {
    await database.run(
      `UPDATE grouped SET provider_name = $1 WHERE nullif(trim(provider_name), '') IS NULL AND nullif(trim(service_provider_name), '') IS NULL`,
      [provider],
    )
  }
}
