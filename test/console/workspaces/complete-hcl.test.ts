import { describe, expect, test } from 'vitest'
import { completeHcl, namesIn } from '../../../console/src/workspaces/complete-hcl.ts'

const names = namesIn(
  {
    'main.tf': `variable "region" {}
resource "aws_vpc" "main" {}
resource "aws_vpc" "other" {}
data "aws_ami" "base" {}
module "net" { source = "./net" }
locals {
  zone = "a"
  tags = { Name = "x" }
}
`,
    'net/x.tf': 'variable "inner" {}',
    'notes.md': 'variable "none" {}',
  },
  '',
  {
    variables: ['size', 'region'],
    resources: ['aws_vpc.gone[0]', 'module.old.aws_vpc.inner', 'data.aws_ami.state'],
  },
)
const labels = (before: string) => completeHcl(before, names)?.options.map(({ label }) => label)

describe('what can be completed in an HCL file', () => {
  test('variables: declared in this folder, and set in the workspace', () => {
    expect(labels('a = var.')).toEqual(['size', 'region'])
    expect(completeHcl('a = var.re', names)).toMatchObject({ from: 8, isAfterDot: true })
  })

  test('locals and modules', () => {
    expect(labels('a = local.')).toEqual(['zone', 'tags'])
    expect(labels('a = module.')).toEqual(['old', 'net'])
  })

  test('resources and data sources by type, then by name', () => {
    expect(labels('a = aws_vpc.')).toEqual(['gone', 'main', 'other'])
    expect(labels('a = data.')).toEqual(['aws_ami'])
    expect(labels('a = data.aws_ami.')).toEqual(['state', 'base'])
    expect(labels('a = aw')).toContain('aws_vpc')
    expect(labels('a = aws_vpc.main.')).toBeUndefined()
  })

  test('in a quoted text only inside of a template, and never in a comment', () => {
    expect(labels('a = "var.')).toBeUndefined()
    expect(labels('a = "x ${var.')).toEqual(['size', 'region'])
    expect(labels('a = "$${var.')).toBeUndefined()
    expect(labels('a = "x" + var.')).toBeDefined()
    expect(labels('a = "\\"" + var.')).toBeDefined()
    expect(labels('# var.')).toBeUndefined()
    expect(labels('a = "#${var.')).toBeDefined()
  })
})
