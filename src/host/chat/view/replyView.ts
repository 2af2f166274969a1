import {
  type Citation,
  createCitation,
  filterImages,
  filterToolCalls,
  type Image,
  isStoredImage,
  type Reply,
  readReasoning,
  replyText,
} from '../../../conversations/conversation/reply.ts';
import type * as page from '../../../protocol/chatTurn.ts';

/** Converts a picture into a view for the page. */
export function createImageView(image: Image): page.ImageView {
  const { mimeType } = image;
  return isStoredImage(image) ? { mimeType, hash: image.hash } : { mimeType, data: image.data };
}

/** Converts the event of a citation into a view for the page. */
export function createCitationView(event: Parameters<typeof createCitation>[0]): page.CitationView {
  return toCitationView(createCitation(event));
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
