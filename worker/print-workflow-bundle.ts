import { bundleWorkflows } from './bundle-workflows.ts'

/** Prints the workflow bundle, as a separate process (make-workflow-bundle.ts says why). */
process.stdout.write((await bundleWorkflows()).code)
