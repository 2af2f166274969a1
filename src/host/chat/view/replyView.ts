import {
  type Citation,
  filterImages,
  filterToolCalls,
  type Image,
  isStoredImage,
  type Reply,
  type ReplyBuilder,
  readReasoning,
  replyText,
} from '../../../conversations/conversation/reply.ts';
import type * as page from '../../../protocol/chatTurn.ts';

/** Converts a picture into a view for the page. */
export function createImageView(image: Image): page.ImageView {
  const { mimeType } = image;
  return isStoredImage(image) ? { mimeType, hash: image.hash } : { mimeType, data: image.data };
}

function toCitationView({ title, url }: Citation): page.CitationView {
  return { title: title ?? url ?? '', url };
}

/** Converts a choice of a reply into a view for the page. */
export function createReplyView(reply: Reply): page.ReplyView {
  return {
    text: replyText(reply),
    reasoning: readReasoning(reply),
    toolCalls: filterToolCalls(reply).map((call) => ({ name: call.name, arguments: call.arguments })),
    images: filterImages(reply).map(createImageView),
    citations: reply.citations.map(toCitationView),
  };
}

/** Converts an addition to a choice of a reply into a message for the page. */
export function createReplyDelta(choice: number, addition: ReplyBuilder): page.ReplyDelta {
  const { text, reasoning, images, citations } = createReplyView(addition);
  const toolCalls = addition.numberedCalls.map(([position, call]) => ({
    position,
    ...(call.name !== '' && { name: call.name }),
    arguments: call.arguments,
  }));
  return {
    choice,
    text,
    reasoning,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(images.length > 0 && { images }),
    ...(citations.length > 0 && { citations }),
  };
}
