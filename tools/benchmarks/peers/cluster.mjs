// Runs a server in a number of workers of this process, which share its port.
import cluster from "node:cluster";

export function serve(workers, listen) {
  if (workers > 1 && cluster.isPrimary) {
    for (let i = 0; i < workers; i++) cluster.fork();
    cluster.on("exit", () => process.exit(1));
    process.on("SIGTERM", () => process.exit(0));
    return;
  }
  process.on("SIGTERM", () => process.exit(0));
  Promise.resolve(listen()).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}

// options reads --name value pairs.
export const options = Object.fromEntries(
  process.argv.slice(2).flatMap((arg, i, all) => (arg.startsWith("--") ? [[arg.slice(2), all[i + 1]]] : [])),
);
