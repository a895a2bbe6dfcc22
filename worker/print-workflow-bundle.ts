import { bundleWorkflows } from './bundle-workflows.ts'

/** A process for the bundler, whose 100 MB the worker would otherwise keep (see make-workflow-bundle.ts). */
process.stdout.write((await bundleWorkflows()).code)
