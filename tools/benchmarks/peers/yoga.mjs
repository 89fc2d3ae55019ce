// GraphQL Yoga with DataLoader.
import { createServer } from "node:http";
import { createSchema, createYoga } from "graphql-yoga";
import { options, serve } from "./cluster.mjs";
import { connect, contextOf, resolvers, typeDefs } from "./office.mjs";

serve(Number(options.workers), () => {
  const pool = connect(options.database, Number(options.connections));
  const yoga = createYoga({
    schema: createSchema({ typeDefs, resolvers }),
    context: () => contextOf(pool),
    graphiql: false,
    landingPage: false,
    logging: "error",
  });
  createServer(yoga).listen(Number(options.port), "127.0.0.1");
});
