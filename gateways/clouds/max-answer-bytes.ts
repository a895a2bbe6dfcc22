/** The largest answer that is read of a cloud, such as a page of its resources. */
export const maxAnswerBytes = 8 * 1024 * 1024
