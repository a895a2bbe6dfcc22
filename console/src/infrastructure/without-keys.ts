/** `module.a["x"].aws_vpc.main[0]` as `module.a.aws_vpc.main`: one block of the configuration. */
export const withoutKeys = (address: string): string =>
  address.replaceAll(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]/g, '')
