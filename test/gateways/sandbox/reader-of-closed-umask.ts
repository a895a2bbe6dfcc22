// created-folders.test.ts starts this with the umask of `npm start`, where no service ran before.
import { createBillReader } from '../../../gateways/duckdb/create-bill-reader.ts'

process.umask(0o077)
const log = { info: () => undefined, warn: () => undefined }
const reader = await createBillReader(
  { sandbox: 'bubblewrap', dataDir: '/var/data', production: false, apiUrl: 'http://127.0.0.1:1' },
  { slots: 1, log },
)
await reader.close()
console.log(`opened ${reader.workDir}`)
