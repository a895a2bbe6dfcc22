import { readyPages } from '../../test/harness/clouds/ready-pages.ts'

// A process of its own: node bench/sync/ready-cloud.ts <port> <resources> <account id>
const [port, count, account] = process.argv.slice(2)
readyPages(Number(count), account).server.listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
