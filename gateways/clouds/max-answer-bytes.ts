/**
 * The largest answer that is read of a cloud: parsing it keeps the process from all else. A page of
 * resources that is larger is asked for again with fewer in it (page-sizes.ts).
 */
export const maxAnswerBytes = 1024 * 1024
