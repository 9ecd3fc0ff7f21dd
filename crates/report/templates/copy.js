
// Adds what a page can do only with a script: copies of tables as columns, and of figures as pictures. Without it the page lacks nothing else.
(() => {
  const words = document.currentScript.dataset;
  // A drawing is styled by the page: its copy takes along what is seen.
  const SEEN = ["display", "fill", "fill-opacity", "font-family", "font-size", "font-weight", "opacity", "paint-order", "stroke",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-width"];

  const columns = (table) =>
    [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ")).join("\t")).join("\n");

  const standalone = (drawing) => {
    const copy = drawing.cloneNode(true);
    const copies = [copy, ...copy.querySelectorAll("*")];
    [drawing, ...drawing.querySelectorAll("*")].forEach((element, index) => {
      const style = getComputedStyle(element);
      copies[index].setAttribute("style", SEEN.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    });
    const { width, height } = drawing.viewBox.baseVal;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };

  const picture = async ({ text, width, height }) => {
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * 2, height * 2];
    const paper = canvas.getContext("2d");
    paper.fillStyle = getComputedStyle(document.body).backgroundColor;
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
  };

  const button = (label, copy) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", async () => {
      try {
        await copy();
        made.textContent = words.copied;
      } catch {
        made.textContent = words.failed;
      }
      setTimeout(() => (made.textContent = label), 2000);
    });
    return made;
  };

  for (const under of document.querySelectorAll("figure .under")) {
    const figure = under.closest("figure");
    const table = under.querySelector("table");
    const copies = document.createElement("span");
    copies.className = "copies";
    const shown = () => [...figure.querySelectorAll(".plot svg")].find((drawing) => getComputedStyle(drawing).display !== "none");
    if (table) copies.append(button(words.table, () => navigator.clipboard.writeText(columns(table))));
    if (figure.querySelector(".plot svg")) {
      copies.append(button(words.figure, () => navigator.clipboard.write([new ClipboardItem({ "image/png": picture(standalone(shown())) })])));
    }
    under.insertBefore(copies, under.querySelector(".link"));
  }
})();
