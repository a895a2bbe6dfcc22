/** The largest answer that is read of a cloud, such as a page of its resources. */
export const maxAnswerBytes = 4 * 1024 * 1024
