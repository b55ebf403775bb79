// Files that are dropped on the page.

export function watchDrops(open: (file: File) => void): void {
    const mark = (on: boolean) => document.body.classList.toggle("dropping", on);
    window.addEventListener("dragover", (event) => {
        event.preventDefault();
        mark(true);
    });
    window.addEventListener("dragleave", (event) => {
        if (event.relatedTarget === null) {
            mark(false);
        }
    });
    window.addEventListener("drop", (event) => {
        event.preventDefault();
        mark(false);
        const file = event.dataTransfer?.files[0];
        if (file) {
            open(file);
        }
    });
}
