/**
 * The states that occur, in this order, and the chosen one. A select without an option for its value shows another one,
 * and the list stays narrowed to what is not shown.
 */
export const offeredStates = <State extends string>(
  states: readonly State[],
  rows: ReadonlyArray<{ state: State }>,
  chosen: State | undefined,
): State[] => states.filter((one) => one === chosen || rows.some(({ state }) => state === one))
