// Projects in links: compressed, in the fragment of the address, which is not sent to a server.
export const LIMIT = 32_000;
const MOST = 2_000_000;

export async function packed(project) {
  const bytes = new TextEncoder().encode(JSON.stringify(project));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const made = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let at = 0; at < made.length; at += 8192) text += String.fromCharCode(...made.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the project of a link; null if it holds none, or if the project is too large. */
export async function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder();
    let whole = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      whole += decoder.decode(value, { stream: true });
      if (whole.length > MOST) return null;
    }
    const found = JSON.parse(whole);
    const texts = found.files && typeof found.files === "object" && Object.values(found.files).every((one) => typeof one === "string");
    return texts && typeof found.example === "string" && typeof found.answer === "string" ? found : null;
  } catch {
    return null;
  }
}
