const videoNames = /video|veo-?\d|\bwanx?[\d-]|sora|kling|vidu|t2v|i2v|omni-?flash|hailuo|seedance/i;

/** Whether a model seems to make videos: lists do not tell what a model makes, but names mostly do. */
export function seemsToMakeVideos(model: string): boolean {
  return videoNames.test(model);
}
