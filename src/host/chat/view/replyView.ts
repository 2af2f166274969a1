import {
  type Citation,
  citationOf,
  type Image,
  imagesOf,
  isStoredImage,
  type Reply,
  reasoningOf,
  replyText,
  toolCallsOf,
} from '../../../conversations/conversation/reply.ts';
import type * as page from '../../../protocol/chatTurn.ts';

/** A picture as the page shows it. */
export function imageView(image: Image): page.ImageView {
  const { mimeType } = image;
  return isStoredImage(image) ? { mimeType, hash: image.hash } : { mimeType, data: image.data };
}

/** A citation as the page shows it. */
export function citationView(event: Parameters<typeof citationOf>[0]): page.CitationView {
  return shownCitation(citationOf(event));
}

function shownCitation({ title, url }: Citation): page.CitationView {
  return { title: title ?? url ?? '', url };
}

/** One choice of a reply as the page shows it. */
export function replyView(reply: Reply): page.ReplyView {
  return {
    text: replyText(reply),
    reasoning: reasoningOf(reply),
    toolCalls: toolCallsOf(reply).map((call) => ({ name: call.name, arguments: call.arguments })),
    images: imagesOf(reply).map(imageView),
    citations: reply.citations.map(shownCitation),
  };
}
