import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'

/**
 * Bundles the workflows in a separate process. In the worker itself the bundler would leave 100 MB of
 * memory in use, and each fork of the worker would copy its page table.
 */
export async function makeWorkflowBundle(): Promise<WorkflowBundleOption> {
  const script = join(import.meta.dirname, 'print-workflow-bundle.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    maxBuffer: 64 * 1024 * 1024,
  })
  // The code contains its source map. `sourceMap` has the placeholder of the SDK's bundler.
  return { code: stdout, sourceMap: 'deprecated: this is no longer in use\n' }
}
