const videoNames = /video|veo-?\d|\bwanx?[\d-]|sora|kling|vidu|t2v|i2v|omni-?flash|hailuo|seedance/i;

/** Whether a model's name suggests that it makes videos. Model lists do not say so. */
export function seemsToMakeVideos(model: string): boolean {
  return videoNames.test(model);
}
