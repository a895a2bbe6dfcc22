/** Why resources are missing that nobody deleted: the same in checks and in the console's hints. */
export const readsSomeTypes =
  'The credentials may read some types of resources alone. The others stay as they were last seen.'
