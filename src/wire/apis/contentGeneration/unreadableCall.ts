const words = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL)$/i;

/**
 * Whether content generation ended a reply because it could not read the model's call of a tool, or had not offered
 * that tool. The call is not in the reply, which may hold what the model said before.
 *
 * @param finishReason in the provider's own word
 */
export function endedInUnreadableCall(finishReason: string): boolean {
  return words.test(finishReason);
}
