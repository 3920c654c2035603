import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.FeedbackApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.QueriesApi;
import org.openapitools.client.model.EventLineJobId;
import org.openapitools.client.model.EventsQuery;
import org.openapitools.client.model.EventsQueryJobIdsInner;
import org.openapitools.client.model.Feedback;
import org.openapitools.client.model.NewEvent;

/** First steps with a generated client: FirstSteps BASE_URL KEY JOB_ID. It prints how many events the job has. */
public class FirstSteps {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    int job = Integer.parseInt(args[2]);
    if (new JobsApi(client).listManagedJobs().stream().noneMatch(one -> one.getJobId() == job))
      throw new IllegalStateException("the job is not listed");
    NewEvent event = new NewEvent();
    event.setJobId(new EventLineJobId(job));
    event.setRawBody(Map.of("rule", Map.of("id", "4625")));
    new EventsApi(client).postEventWithId("from-java", event, true);
    Feedback feedback = new Feedback();
    feedback.setCortexUser("ann");
    feedback.setFeedback("Drop");
    new FeedbackApi(client).giveFeedback(job, "from-java", feedback);
    EventsQuery query = new EventsQuery();
    query.setJobIds(List.of(new EventsQueryJobIdsInner(job)));
    System.out.println(new QueriesApi(client).queryEvents(query).getTotalCount());
  }
}
