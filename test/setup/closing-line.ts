import type { Reporter, TestModule } from 'vitest/node'

/** Ends the run with the one line that everything here ends with. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], faults: readonly unknown[]): void {
    let passed = 0
    // What broke outside of every test: an engine that did not start, a promise that nobody awaited.
    let failed = faults.length
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        if (state === 'failed') failed += 1
      }
      // A file that did not get as far as its tests.
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed'))
        failed += 1
    }
    console.log(`${passed} passed, ${failed} failed`)
  }
}
