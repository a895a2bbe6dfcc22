import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'

/**
 * Bundles the workflows in a process that ends. In the worker itself the bundler would leave 100 MB, and
 * each step that the worker starts would copy its page table.
 */
export async function makeWorkflowBundle(): Promise<WorkflowBundleOption> {
  const script = join(import.meta.dirname, 'print-workflow-bundle.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    maxBuffer: 64 * 1024 * 1024,
  })
  // The source map is in the code itself; the field is there for older bundles.
  return { code: stdout, sourceMap: 'deprecated: this is no longer in use\n' }
}
