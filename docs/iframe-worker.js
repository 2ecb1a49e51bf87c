// Where the pages are read as files, browsers start no worker: the search runs in a hidden frame instead. The name is that of the package whose place
// this takes, so that the theme does not load that one from the network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.frame = frame;
      this.ready = new Promise((resolve) => {
        frame.onload = () => {
          frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = frame.contentDocument.createElement("script");
          script.src = url;
          script.onload = resolve;
          frame.contentDocument.body.append(script);
        };
      });
      frame.srcdoc = "<!doctype html>";
      document.body.append(frame);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
