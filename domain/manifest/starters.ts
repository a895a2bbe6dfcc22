/** A manifest to begin with, by the file that shows the language. */
export type Starter = { language: string; foundBy: string | null; yaml: string }

export const manifestPath = '.cloud-control/pipeline.yml'

/** In the order in which they are looked for. The last is for everything else. */
export const starters: readonly Starter[] = [
  {
    language: 'JavaScript',
    foundBy: 'package.json',
    yaml: withDeploy(`version: 1
build:
  network: public # for the package registry
  cache:
    - { path: .npm, key: [package-lock.json] }
  steps:
    - name: install
      run: npm ci --cache .npm
    - name: test
      run: npm run test --if-present
    - name: build
      run: npm run build --if-present
  artifact:
    path: .
    exclude: [".git/**", ".npm/**"]
`),
  },
  {
    language: 'Go',
    foundBy: 'go.mod',
    yaml: withDeploy(`version: 1
build:
  network: public # for the module proxy
  cache:
    - { path: .gomod, key: [go.sum] }
  steps:
    - name: test
      run: GOMODCACHE="$PWD/.gomod" go test ./...
    - name: build
      run: |
        mkdir -p dist
        GOMODCACHE="$PWD/.gomod" CGO_ENABLED=0 go build -trimpath -o dist/ ./...
  artifact:
    path: dist
`),
  },
  {
    language: 'Python',
    foundBy: 'pyproject.toml',
    yaml: withDeploy(`version: 1
build:
  network: public # for the package index
  steps:
    - name: install
      run: |
        python3 -m venv .venv
        .venv/bin/pip install --target dist .
  artifact:
    path: dist
`),
  },
  {
    language: 'Java',
    foundBy: 'pom.xml',
    yaml: withDeploy(`version: 1
build:
  network: public # for the Maven repository
  cache:
    - { path: .m2, key: [pom.xml] }
  steps:
    - name: package
      run: mvn --batch-mode -Dmaven.repo.local="$PWD/.m2" package
  artifact:
    path: target
    include: ["*.jar", "*.war", "hooks/**"]
`),
  },
  {
    language: 'Rust',
    foundBy: 'Cargo.toml',
    yaml: withDeploy(`version: 1
build:
  network: public # for crates.io
  steps:
    - name: test
      run: cargo test --locked
    - name: build
      run: cargo install --locked --path . --root dist
  artifact:
    path: dist/bin
`),
  },
  {
    language: 'HTML',
    foundBy: 'index.html',
    yaml: withDeploy(`version: 1
build:
  artifact:
    path: .
    exclude: [".git/**", ".cloud-control/**"]
`),
  },
  {
    language: 'other',
    foundBy: null,
    yaml: withDeploy(`version: 1
build:
  steps:
    - name: build
      run: |
        mkdir -p dist
        cp -R README* dist/
  artifact:
    path: dist
`),
  },
]

/** Hooks are files of the artifact, which only the author can add. */
function withDeploy(build: string): string {
  return `${build}deploy:
  strategy: rolling
  # Files of the artifact that run on each host:
  # hooks: { install: hooks/install, activate: hooks/activate, health: hooks/health, rollback: hooks/rollback }
`
}

/** The starter for a repository whose root has these files. */
export function starterFor(files: ReadonlySet<string>): Starter {
  const found = starters.find(({ foundBy }) => foundBy === null || files.has(foundBy))
  if (!found) throw new Error('There is no starter for everything else.')
  return found
}
