import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'

/**
 * The workflows' bundle, made in a process that ends. In the worker's own the bundler would leave
 * 100 MB, and each step that the worker starts costs it a copy of its page table.
 */
export async function makeWorkflowBundle(): Promise<WorkflowBundleOption> {
  const script = join(import.meta.dirname, 'print-workflow-bundle.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    maxBuffer: 64 * 1024 * 1024,
  })
  // The source map is in the code itself; the field is there for older bundles.
  return { code: stdout, sourceMap: 'deprecated: this is no longer in use\n' }
}
