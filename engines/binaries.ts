import { arch, platform } from 'node:os'

export type BinaryName =
  | 'temporal-server'
  | 'temporal-sql-tool'
  | 'tofu'
  | 'opa'
  | 'temporal-ui-server'

export type Release = {
  url: string
  /** The project's published checksums: lines of `<sha256>  <file>`, or one checksum alone. */
  sumsUrl: string
  /** The program's path in the archive. Without it the download is the program itself. */
  member?: string
  /** A pinned checksum. An attacker who replaces the file can also replace the published checksums. */
  sha256?: string
}

export type Binary = {
  name: BinaryName
  version: string
  /** The environment variable with which the operator chooses a program. */
  variable: string
  /** Its possible names on PATH. */
  programs: readonly string[]
  versionArguments: readonly string[]
  /** Matches the version output of a supported version. */
  accepts: RegExp
  /** The Go package to build, with its version unless `goModule` is set. */
  goPackage: string
  /** The folder of `engines/` with the module that pins the package. */
  goModule?: string
  goTags?: string
  goLinkFlags?: string
  /** Measured on two cores without another build. The progress line shows it. */
  usualBuildSeconds: number
  release: Release | undefined
}

const os = platform() === 'darwin' ? 'darwin' : 'linux'
const cpu = arch() === 'arm64' ? 'arm64' : 'amd64'

/** Temporal's own releases have it: without the part of Google's storage client that speaks gRPC. */
const temporalTags = 'disable_grpc_modules'

/**
 * The programs that do not come from npm, in the order in which a first start builds them (two at
 * once): the longest builds first, and the web UI last, because nothing waits for it.
 */
export const binaries: readonly Binary[] = [
  {
    name: 'temporal-server',
    version: '1.32.0',
    variable: 'CC_TEMPORAL_SERVER_BIN',
    programs: ['temporal-server'],
    versionArguments: ['--version'],
    accepts: /^temporal version 1\.32\.\d+/m,
    goPackage: 'go.temporal.io/server/cmd/server@v1.32.0',
    goTags: temporalTags,
    usualBuildSeconds: 240,
    release: temporalRelease('1.32.0', 'temporal-server'),
  },
  {
    name: 'tofu',
    version: '1.12.6',
    variable: 'CC_TOFU_BIN',
    programs: ['tofu'],
    versionArguments: ['version'],
    accepts: /^OpenTofu v1\.12\.\d+/m,
    goPackage: 'github.com/opentofu/opentofu/cmd/tofu',
    goModule: 'tofu',
    // From Go 1.27 on, x/net has the HTTP/2 server for gRPC only under this tag. Go 1.26 ignores it.
    goTags: 'http2legacy',
    // Set by OpenTofu's releases too. Without it the version ends in -dev.
    goLinkFlags: '-X github.com/opentofu/opentofu/version.dev=no',
    usualBuildSeconds: 190,
    release: {
      url: github('opentofu/opentofu', 'v1.12.6', `tofu_1.12.6_${os}_${cpu}.tar.gz`),
      sumsUrl: github('opentofu/opentofu', 'v1.12.6', 'tofu_1.12.6_SHA256SUMS'),
      member: 'tofu',
    },
  },
  {
    name: 'temporal-sql-tool',
    version: '1.32.0',
    variable: 'CC_TEMPORAL_SQL_TOOL_BIN',
    programs: ['temporal-sql-tool'],
    versionArguments: ['--version'],
    accepts: /^temporal-sql-tool version 1\.32\.\d+/m,
    goPackage: 'go.temporal.io/server/cmd/tools/sql@v1.32.0',
    goTags: temporalTags,
    usualBuildSeconds: 15,
    release: temporalRelease('1.32.0', 'temporal-sql-tool'),
  },
  {
    name: 'opa',
    version: '1.22.0',
    variable: 'CC_OPA_BIN',
    programs: ['opa'],
    versionArguments: ['version'],
    accepts: /^Version: 1\.\d+/m,
    goPackage: 'github.com/open-policy-agent/opa@v1.22.0',
    usualBuildSeconds: 70,
    release: {
      url: github('open-policy-agent/opa', 'v1.22.0', `opa_${os}_${cpu}_static`),
      sumsUrl: github('open-policy-agent/opa', 'v1.22.0', `opa_${os}_${cpu}_static.sha256`),
    },
  },
  {
    name: 'temporal-ui-server',
    version: '2.54.1',
    variable: 'CC_TEMPORAL_UI_BIN',
    programs: ['temporal-ui-server', 'ui-server'],
    versionArguments: ['--version'],
    accepts: /^Temporal UI version 2\.(5[4-9]|[6-9]\d)\./m,
    goPackage: 'github.com/temporalio/ui-server/v2/cmd/server@v2.54.1',
    usualBuildSeconds: 60,
    release: {
      url: github('temporalio/ui-server', 'v2.54.1', `ui-server_2.54.1_${os}_${cpu}.tar.gz`),
      sumsUrl: github('temporalio/ui-server', 'v2.54.1', 'ui-server_2.54.1_checksums.txt'),
      member: 'ui-server',
    },
  },
]

function temporalRelease(version: string, member: string): Release {
  return {
    url: github('temporalio/temporal', `v${version}`, `temporal_${version}_${os}_${cpu}.tar.gz`),
    sumsUrl: github('temporalio/temporal', `v${version}`, 'checksums.txt'),
    member,
  }
}

function github(repository: string, tag: string, file: string): string {
  return `https://github.com/${repository}/releases/download/${tag}/${file}`
}
