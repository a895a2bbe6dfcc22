// Reads a report of vitest: prints passed, failed and skipped, and on stderr each failure with the first lines of its reason.
const { readFileSync } = require('node:fs')

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const reason = (text) => text.split('\n').slice(0, 12).join('\n    ')
for (const file of report.testResults) {
  if (file.status === 'failed' && file.message)
    console.error(`failed: ${file.name}\n    ${reason(file.message)}`)
  for (const test of file.assertionResults) {
    if (test.status !== 'failed') continue
    console.error(
      `failed: ${test.fullName} (${file.name})\n    ${test.failureMessages.map(reason).join('\n    ')}`,
    )
  }
}
console.log(report.numPassedTests ?? 0, report.numFailedTests ?? 0, report.numPendingTests ?? 0)
