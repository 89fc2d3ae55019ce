// Apollo Server with DataLoader.
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { options, serve } from "./cluster.mjs";
import { connect, contextOf, resolvers, typeDefs } from "./office.mjs";

serve(Number(options.workers), async () => {
  const pool = connect(options.database, Number(options.connections));
  const server = new ApolloServer({ typeDefs, resolvers, introspection: false });
  await startStandaloneServer(server, {
    listen: { host: "127.0.0.1", port: Number(options.port) },
    context: async () => contextOf(pool),
  });
});
