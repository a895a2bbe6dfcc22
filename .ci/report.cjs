// Reads a report of vitest: `counts` (passed, failed, skipped), `files` that failed, the `failures`, each
// with the first lines of its reason, or the `slowest` files with their seconds.
const { readFileSync } = require('node:fs')

const [what, path, word] = process.argv.slice(2)
const text = readFileSync(path, 'utf8')
// A run that was ended at its time limit wrote nothing.
if (text === '') process.exit(1)
const report = JSON.parse(text)
const inProject = (name) => name.replace(`${process.cwd()}/`, '')
const failedTests = (file) => file.assertionResults.filter(({ status }) => status === 'failed')
const ours = (line) => !line.includes('/node_modules/')
const reason = (messages) =>
  messages.flatMap((text) => text.split('\n').filter(ours).slice(0, 12)).join('\n    ')

const answers = {
  counts: () => [[report.numPassedTests, report.numFailedTests, report.numPendingTests].join(' ')],
  files: () =>
    report.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => inProject(name)),
  slowest: () =>
    report.testResults
      .map(({ name, startTime, endTime }) => [(endTime - startTime) / 1_000, inProject(name)])
      .toSorted(([a], [b]) => b - a)
      .slice(0, 15)
      .map(([seconds, name]) => `${seconds.toFixed(0).padStart(5)} s  ${name}`),
  failures: () =>
    report.testResults.flatMap((file) => {
      const place = inProject(file.name)
      const tests = failedTests(file).map(
        ({ fullName, failureMessages }) => `${fullName} (${place})\n    ${reason(failureMessages)}`,
      )
      // A file that failed as a whole: it did not load, or what it set up failed.
      if (tests.length === 0 && file.status === 'failed')
        tests.push(`${place}\n    ${reason([file.message ?? ''])}`)
      return tests.map((text) => `${word}: ${text}`)
    }),
}
for (const line of answers[what]?.() ?? []) console.log(line)
