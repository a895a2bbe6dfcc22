import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import type { CloudAnswer, CloudRequest } from './scripted-cloud.ts'

type Job = {
  rows: Array<Array<string | null>>
  polls: number
  /** Of EXPORT DATA. */
  exported?: { fileCount: string; rowCount: string }
}

const exportForm =
  /^EXPORT DATA OPTIONS \(uri = '([^']*)', format = 'PARQUET', compression = 'SNAPPY'\) AS (SELECT[^]*)$/

/** Functions of GoogleSQL, and types, by DuckDB's. */
const macros = [
  `CREATE MACRO REGEXP_CONTAINS(a, b) AS regexp_matches(a, b)`,
  `CREATE MACRO FORMAT_TIMESTAMP(f, x, z) AS strftime(x AT TIME ZONE z, '%Y-%m-%dT%H:%M:%S.%fZ')`,
  `CREATE MACRO TO_JSON_STRING(x) AS coalesce(CAST(to_json(x) AS VARCHAR), 'null')`,
  `CREATE MACRO FARM_FINGERPRINT(x) AS CAST(hash(x) >> 2 AS BIGINT)`,
]
const types: Record<string, string> = {
  VARCHAR: 'STRING',
  DOUBLE: 'FLOAT',
  BIGINT: 'INTEGER',
  DATE: 'DATE',
  TIMESTAMP: 'DATETIME',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP',
}

export const refusedByGoogle = (status: number, reason: string): CloudAnswer => ({
  status,
  body: { error: { code: status, message: 'refused', errors: [{ reason, message: 'refused' }] } },
})

/**
 * BigQuery's REST API (v2: tables.get, jobs.insert, jobs.get, jobs.getQueryResults) over a table of DuckDB, which runs the
 * queries. Not BigQuery itself: its dialect is translated word by word.
 */
export async function scriptedBigQuery(project: string, dataset: string, table: string) {
  const database: DuckDBConnection = await (
    await DuckDBInstance.create(':memory:', { threads: '1' })
  ).connect()
  for (const sql of [`SET TimeZone = 'UTC'`, ...macros]) await database.run(sql)
  const rowsOf = async (sql: string) => (await database.runAndReadAll(sql)).getRowsJson()
  const jobs = new Map<string, Job>()
  const root = `/bigquery/v2/projects/${project}`
  const state = {
    type: 'TABLE',
    lastModifiedTime: '1790000000000',
    queries: [] as string[],
    /** How often a query is not complete yet. */
    polls: 0,
    /** In place of the answer to a call. */
    before: (_request: CloudRequest): CloudAnswer | undefined => undefined,
    /** Takes each file of an export, by its key in the bucket. */
    write: (_key: string, _bytes: Buffer): void => undefined,
    /** The bucket that exports may name. */
    bucket: '',
    /** ErrorProto of the next exports. */
    exportError: undefined as { reason: string; message: string } | undefined,
    run: async (sql: string) => database.run(sql),
    rows: async (sql: string) => (await database.runAndReadAll(sql)).getRowObjectsJson(),
    async answer(request: CloudRequest): Promise<CloudAnswer> {
      const refusal = state.before(request)
      if (refusal) return refusal
      const { path } = request
      if (path === `${root}/datasets/${dataset}/tables/${table}`) return describe()
      if (path === `${root}/jobs`) return insert(JSON.parse(request.body))
      if (path.startsWith(`${root}/jobs/`)) return jobOf(path.split('/').pop() ?? '', request.query)
      const id = path.startsWith(`${root}/queries/`) ? path.split('/').pop() : undefined
      const job = id === undefined ? undefined : jobs.get(id)
      return job ? results(job, request.query) : refusedByGoogle(404, 'notFound')
    },
  }
  const describe = async (): Promise<CloudAnswer> => {
    const fields = (await rowsOf(`DESCRIBE ${table}`)).map(([name, type]) => {
      const text = JSON.stringify(type).slice(1, -1)
      const isList = text.endsWith('[]')
      const google = text.startsWith('STRUCT')
        ? 'RECORD'
        : text.startsWith('DECIMAL')
          ? 'NUMERIC'
          : ''
      return { name, type: google || types[text], mode: isList ? 'REPEATED' : 'NULLABLE' }
    })
    const { type, lastModifiedTime } = state
    return { body: { type, lastModifiedTime, location: 'EU', schema: { fields } } }
  }
  const insert = async (sent: {
    jobReference: { jobId: string; location: string }
    configuration: { dryRun: boolean; query: { query: string } }
  }): Promise<CloudAnswer> => {
    const { jobId, location } = sent.jobReference
    if (location !== 'EU') return refusedByGoogle(404, 'notFound')
    if (jobs.has(jobId)) return refusedByGoogle(409, 'duplicate')
    const sql = sent.configuration.query.query
    state.queries.push(sql)
    const ours = sql
      .replaceAll(`\`${project}.${dataset}.${table}\``, table)
      .replaceAll('`', '"')
      .replaceAll(`r'`, `'`)
      .replaceAll('BIGNUMERIC', 'DECIMAL(38, 12)')
    const [, uri, select] = exportForm.exec(ours) ?? []
    try {
      if (uri !== undefined && select !== undefined) {
        jobs.set(jobId, { rows: [], polls: state.polls, exported: await unload(uri, select) })
        return { body: { jobReference: sent.jobReference } }
      }
      // All results of ours are texts.
      const rows = (await rowsOf(ours)) as Array<Array<string | null>>
      if (!sent.configuration.dryRun) jobs.set(jobId, { rows, polls: state.polls })
      return { body: { jobReference: sent.jobReference } }
    } catch (error) {
      console.log(String(error))
      return refusedByGoogle(400, 'invalidQuery')
    }
  }
  /** Two files, as BigQuery writes several from a gigabyte on. */
  const unload = async (uri: string, select: string) => {
    const rowCount = Number((await rowsOf(`SELECT count(*) FROM (${select})`))[0]?.[0])
    const at = /^gs:\/\/([^/]+)\/([^*]+)\*(\.parquet)$/.exec(uri)
    if (!at || at[1] !== state.bucket || state.exportError) return { fileCount: '0', rowCount: '0' }
    const half = Math.ceil(rowCount / 2)
    for (const [n, offset] of [0, half].entries()) {
      const path = join(tmpdir(), `cc-export-${randomUUID()}.parquet`)
      await database.run(
        `COPY (${select} LIMIT ${half} OFFSET ${offset}) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`,
      )
      state.write(`${at[2]}${String(n).padStart(12, '0')}${at[3]}`, await readFile(path))
      await rm(path)
    }
    return { fileCount: '2', rowCount: String(rowCount) }
  }
  const jobOf = (id: string, query: URLSearchParams): CloudAnswer => {
    const job = jobs.get(id)
    if (!job?.exported || query.get('location') !== 'EU') return refusedByGoogle(404, 'notFound')
    if ((job.polls -= 1) >= 0) return { body: { status: { state: 'RUNNING' } } }
    const { exportError } = state
    if (exportError)
      return {
        body: { status: { state: 'DONE', errorResult: exportError, errors: [exportError] } },
      }
    const statistics = { query: { exportDataStatistics: job.exported } }
    return { body: { status: { state: 'DONE' }, statistics } }
  }
  const results = (job: Job, query: URLSearchParams): CloudAnswer => {
    if (query.get('location') !== 'EU') return refusedByGoogle(404, 'notFound')
    if (job.polls > 0) {
      job.polls -= 1
      return { body: { jobComplete: false } }
    }
    const first = Number(query.get('startIndex'))
    const rows = job.rows.slice(first, first + Number(query.get('maxResults')))
    const cells = rows.map((row) => ({ f: row.map((v) => ({ v })) }))
    return {
      body: {
        jobComplete: true,
        totalRows: String(job.rows.length),
        ...(cells.length > 0 && { rows: cells }),
      },
    }
  }
  return state
}
